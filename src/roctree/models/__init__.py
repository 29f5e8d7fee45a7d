"""Further models: Naive Bayes trees, the Multiscale Classifier, distillation, discretisation."""

"""Trees tried on data: what is compared, how, and what came out."""

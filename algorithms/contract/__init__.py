"""What scikit-learn asks of estimators."""

"""What reports show: tables and figures of each experiment."""

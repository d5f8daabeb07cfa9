"""What belongs to no paper: how far the measures themselves can be trusted."""

"""What the sample sentences are made of: frames with slots, and lexicons that fill the slots."""

"""What people and machines talk to: parse, call the face, print. No surface knows another."""

package dev.damask.examples.order;

/// What a customer has ordered.
record Order(String item, int price) {}

import { thing } from "./nowhere";
import express from "express";

interface Shape { side: number; label?: string }
const emoji = "😀"; const side: number = "two";
function area(shape: Shape): number {
  return shape.sid * shape.side;
}
const shape: Shape = { side: "3", colour: "red" };
const nested: { a: { b: (x: number) => void } } = { a: { b: (x: string) => {} } };
area();

import { signal } from '@preact/signals'

/** A screen reader says this. */
export const announced = signal('')

/** Tells a screen reader of what has changed elsewhere on the page, where eyes see it by themselves. */
export function announce(text: string): void {
  // The same sentence twice is no change.
  announced.value = announced.peek() === text ? `${text}\u00a0` : text
}

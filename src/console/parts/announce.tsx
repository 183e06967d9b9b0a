import { signal } from '@preact/signals'

const said = signal('')

/** Tells a screen reader of what has changed elsewhere on the page, where eyes see it by themselves. */
export function announce(text: string): void {
  // The same sentence twice is no change.
  said.value = said.peek() === text ? `${text}\u00a0` : text
}

export const Announcements = () => (
  <p class="unseen" role="status">
    {said}
  </p>
)

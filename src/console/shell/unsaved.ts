import { signal } from '@preact/signals'

/** What a user loses by signing out, as a sentence. It cannot be kept: the browser's next user would find it. */
export const unsaved = signal<string | null>(null)

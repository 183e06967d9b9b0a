import { signal } from '@preact/signals'

/** Says in a sentence what the user would lose by signing out. The page must not store it, or the browser's next user would find it. */
export const unsaved = signal<string | null>(null)

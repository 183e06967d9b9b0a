import { signal } from '@preact/signals'

/** A text that another screen wants to hear: the playground begins with it, once. It is in no address. */
export const draftText = signal('')

import { signal } from '@preact/signals'

/** The account's credits as they are now. */
export const balance = signal(0)

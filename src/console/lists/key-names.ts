import { signal } from '@preact/signals'

/** What the account's keys are called, by their ids, as far as they were asked for. */
export const keyNames = signal<ReadonlyMap<string, string>>(new Map())

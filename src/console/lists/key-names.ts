import { signal } from '@preact/signals'

/** Names of the account's keys by id, as far as the page has asked for them. */
export const keyNames = signal<ReadonlyMap<string, string>>(new Map())

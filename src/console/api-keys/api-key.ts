import type { KeyRowFragment } from '../operations.ts'

/** A key without its value. */
export type ApiKey = KeyRowFragment

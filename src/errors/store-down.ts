export type StoreFault = 'away' | 'full' | 'read-only'

interface StoreDownOptions extends ErrorOptions {
  /** Absent: away. */
  readonly fault?: StoreFault
  readonly code?: string | undefined
}

/** The artifact store is unavailable, which is no failure of the job. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown'
  readonly fault: StoreFault
  readonly code: string | undefined

  constructor(message: string, { fault = 'away', code, cause }: StoreDownOptions = {}) {
    super(message, { cause })
    this.fault = fault
    this.code = code
  }
}

const SYSTEM_ERRORS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

export const isStoreDown = (error: unknown): boolean =>
  error instanceof StoreDown || SYSTEM_ERRORS.has((error as { readonly code?: unknown } | null | undefined)?.code)

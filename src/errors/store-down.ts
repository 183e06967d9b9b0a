/** Why nothing can be stored, in one word for `/health/ready`. */
export type StoreFault = 'away' | 'full' | 'read-only'

interface StoreDownOptions extends ErrorOptions {
  /** Absent: away. */
  readonly fault?: StoreFault
  /** The operating system's. */
  readonly code?: string | undefined
}

/** The store of artifacts takes and gives nothing now, which says nothing about a job. The message is for the log. */
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

/** What keeps this machine from storing or opening files: a full disk, a quota, a file system that is read-only, a disk that fails, too many open files. */
const SYSTEM_ERRORS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

/** Whether an exception means that artifacts cannot be stored or read now; the same request may succeed later. */
export const isStoreDown = (error: unknown): boolean =>
  error instanceof StoreDown || SYSTEM_ERRORS.has((error as { readonly code?: unknown } | null | undefined)?.code)

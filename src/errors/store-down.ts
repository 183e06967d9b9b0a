/** The store of artifacts does not answer, or not now. The message is for the log. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown'
}

/** What keeps this machine from storing or opening files: a full disk, a quota, a file system that is read-only, a disk that fails, too many open files. */
const SYSTEM_ERRORS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

/** Whether an exception means that artifacts cannot be stored or read now; the same request may succeed later. */
export const isStoreDown = (error: unknown): boolean =>
  error instanceof StoreDown || SYSTEM_ERRORS.has((error as { readonly code?: unknown } | null | undefined)?.code)

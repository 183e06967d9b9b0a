import { StoreDown, type StoreFault } from '../errors/store-down.ts'
import { errorCode } from '../values/data-directory.ts'

const FAULTS: Readonly<Record<string, StoreFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  EACCES: 'away',
  EPERM: 'away',
  EIO: 'away',
  EMFILE: 'away',
  ENFILE: 'away',
  ESTALE: 'away',
  ENODEV: 'away',
  ENXIO: 'away',
  ENOTCONN: 'away',
  EHOSTDOWN: 'away',
  ETIMEDOUT: 'away',
}

/** Runs `work` and turns the volume's errors into StoreDown. */
export async function tellingFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asFault(error)
  }
}

function asFault(error: unknown): unknown {
  const code = errorCode(error) ?? ''
  const { syscall, message } = error as NodeJS.ErrnoException
  const fault = syscall === undefined || syscall === 'connect' ? undefined : FAULTS[code]
  // The message names the path, which holds a job's id at most.
  return fault === undefined ? error : new StoreDown(message, { fault, code, cause: error })
}

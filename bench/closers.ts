import { within } from './within.ts'

type Closer = () => Promise<unknown>

/** A close that takes longer is given up, so that a stuck process does not keep the database open. */
const CLOSE_DEADLINE_MS = 60_000

/** Keeps what is open in a scope. In a closed or closing one, each method but `close` throws. */
export interface Closers {
  /** @param closer is called before those that were added earlier, and may be called for what is closed already */
  add(closer: Closer): void
  /** Opens something, and closes it with the rest; it is waited for where the scope is closed before it is open. */
  open<T>(begin: () => Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T>
  /** Calls each closer once, whichever of them fail or do not end. @throws AggregateError what failed; once */
  close(): Promise<void>
}

export function openClosers(deadlineMs = CLOSE_DEADLINE_MS): Closers {
  const closers: Closer[] = []
  let isClosed = false
  const refuse = () => {
    if (isClosed) throw new Error('what this belongs to is closed')
  }
  return {
    add: (closer) => {
      refuse()
      closers.push(closer)
    },
    open: async (begin, close) => {
      refuse()
      const opening = begin()
      closers.push(() => opening.then(close, () => undefined))
      return opening
    },
    close: () => {
      isClosed = true
      return closeAll(closers, deadlineMs)
    },
  }
}

async function closeAll(closers: Closer[], deadlineMs: number): Promise<void> {
  const failures: unknown[] = []
  for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) {
    try {
      await within(deadlineMs, closer(), 'something is still open')
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 0) return
  throw new AggregateError(failures, failures.map((one) => (one instanceof Error ? one.message : one)).join('; '))
}

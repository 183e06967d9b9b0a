/** Where requests for a permit wait. `grant` lets one go on. */
interface Waiting {
  add(grant: () => void): void
  remove(grant: () => void): void
}

/** Waits in a queue until it grants. @throws the signal's reason when it is aborted before, and waits no more */
export async function waitForGrant(signal: AbortSignal, waiting: Waiting): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abort = () => {
    waiting.remove(resolve)
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  waiting.add(resolve)
  await promise.finally(() => signal.removeEventListener('abort', abort))
}

/** What releases a permit, once however often it is called. */
export function releaseOnce(release: () => void): () => void {
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    release()
  }
}

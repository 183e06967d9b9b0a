interface Waiting {
  add(grant: () => void): void
  remove(grant: () => void): void
}

/** @throws the signal's reason if it aborts first */
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

export function releaseOnce(release: () => void): () => void {
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    release()
  }
}

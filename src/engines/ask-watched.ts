import { BadAudio, EngineError, type Speech, type SpeechRequest } from './engine.ts'
import type { OwnedServer, Probe } from './engine-block.ts'

/**
 * Speaks at a worker's own server, and has the server judged if it fails or hangs.
 * @param probe speaks the request's probe
 * @throws the error of `ask`; that of `OwnedServer.judge`
 */
export async function askWatched(
  owned: OwnedServer,
  request: SpeechRequest,
  ask: (signal: AbortSignal) => Promise<Speech>,
  probe: Probe | undefined,
): Promise<Speech> {
  const { signal, expectedSeconds = 0 } = request
  const [late, over] = [new AbortController(), new AbortController()]
  const begun = performance.now()
  owned.hangs(expectedSeconds, over.signal).then(
    () => late.abort(new DOMException('The server does not answer.', 'TimeoutError')),
    () => undefined,
  )
  try {
    const speech = await ask(AbortSignal.any([signal, late.signal]))
    const pace = expectedSeconds > 0 ? (performance.now() - begun) / 1000 / expectedSeconds : undefined
    owned.noteGood({ ...(pace !== undefined && { pace }), ...(probe && { probe }) })
    return speech
  } catch (error) {
    signal.throwIfAborted()
    const isLate = late.signal.aborted
    const reason = isLate ? 'It does not answer.' : complaintOf(error)
    if (reason === null) throw error
    await owned.judge({ reason, ...(probe && { probe }) })
    // The server is well, and only this text takes it long.
    if (isLate) return ask(signal)
    throw error
  } finally {
    over.abort()
  }
}

/** Null for errors that a well server may cause. A broken connection has a cause: the server may have ended. */
export function complaintOf(error: unknown): string | null {
  if (error instanceof BadAudio) return error.message
  const isAway = error instanceof EngineError && error.code === 'PROVIDER_UNAVAILABLE'
  return isAway && error.cause === undefined ? error.message : null
}

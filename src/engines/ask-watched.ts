import { BadAudio, EngineError, type Speech, type SpeechRequest } from './engine.ts'
import type { OwnedServer, Probe, Suspicion } from './engine-block.ts'

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
    const suspicion = isLate ? { reason: 'It does not answer.' } : suspicionOf(error)
    if (suspicion === null) throw error
    await owned.judge({ ...suspicion, ...(probe && { probe }) })
    // The server is well, and only this text takes it long.
    if (isLate) return ask(signal)
    throw error
  } finally {
    over.abort()
  }
}

/** Null for errors that a well server may cause. */
export function suspicionOf(error: unknown): Suspicion | null {
  if (error instanceof BadAudio) return { reason: error.message }
  if (!(error instanceof EngineError)) return null
  if (error.code === 'PROVIDER_BUSY') return { reason: error.message, isRefusal: true }
  if (error.code !== 'PROVIDER_UNAVAILABLE') return null
  return { reason: error.message, hasBroken: error.cause !== undefined }
}

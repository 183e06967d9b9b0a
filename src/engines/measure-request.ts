import { secondsSince, type Telemetry } from '../telemetry/telemetry.ts'
import { BadAudio, EngineError, type EngineErrorCode, type Speech, type SpeechRequest } from './engine.ts'

/** What answers: a kind of engine, and the server's name. */
export interface Measured {
  readonly telemetry: Telemetry
  readonly kind: string
  /** Host and port, or the kind again where the engine runs in this process. */
  readonly server: string
}

const OUTCOMES: Readonly<Record<EngineErrorCode, string>> = {
  PROVIDER_BUSY: 'busy',
  PROVIDER_UNAVAILABLE: 'unavailable',
  RENDER_FAILED: 'rejected',
  INTERNAL_ERROR: 'rejected',
}

/** Host and port of an address that the operator gave: what a server is called in measurements. */
export const serverName = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl)

/**
 * Takes the time of one request to an engine. @param signal the request's own @param judge throws where the answer is wrong; its own time is
 * none of the engine's @throws what `ask` and `judge` throw
 */
export async function measureRequest<Answer>(
  { telemetry, kind, server }: Measured,
  signal: AbortSignal,
  ask: () => Promise<Answer>,
  judge?: (answer: Answer) => void,
): Promise<Answer> {
  const begun = performance.now()
  let took: number | null = null
  const note = (outcome: string) =>
    telemetry.observe('engine_request_duration_seconds', { kind, server, outcome }, took ?? secondsSince(begun))
  try {
    const answer = await ask()
    took = secondsSince(begun)
    judge?.(answer)
    note('ok')
    return answer
  } catch (error) {
    note(outcomeOf(error, signal))
    throw error
  }
}

/** The same for speech, which is judged as well: what the engine says of it itself is not all that may be wrong with it. */
export const measureSpeech = (
  measured: Measured,
  { signal, judge }: SpeechRequest,
  speak: () => Promise<Speech>,
): Promise<Speech> => measureRequest(measured, signal, speak, judge)

function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'cancelled'
  if (error instanceof BadAudio) return 'bad_audio'
  return error instanceof EngineError ? OUTCOMES[error.code] : 'unavailable'
}

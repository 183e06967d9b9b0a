import { secondsSince, type Telemetry } from '../telemetry/telemetry.ts'
import { BadAudio, EngineError, type EngineErrorCode } from './engine.ts'

export interface Measured {
  readonly telemetry: Telemetry
  readonly kind: string
  /** Host and port, or the engine's kind. */
  readonly server: string
}

const OUTCOMES: Readonly<Record<EngineErrorCode, string>> = {
  PROVIDER_BUSY: 'busy',
  PROVIDER_UNAVAILABLE: 'unavailable',
  RENDER_FAILED: 'rejected',
  INTERNAL_ERROR: 'rejected',
}

export const serverName = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl)

/** @throws the errors of `ask` and `judge` */
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

function outcomeOf(error: unknown, signal: AbortSignal): string {
  // A request that takes too long may have been given to another server.
  if (signal.aborted && !(signal.reason instanceof EngineError))
    return (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'cancelled'
  if (error instanceof BadAudio) return 'bad_audio'
  return error instanceof EngineError ? OUTCOMES[error.code] : 'unavailable'
}

import { secondsSince, type Telemetry } from '../telemetry/telemetry.ts'
import { BadAudio, EngineError, type EngineErrorCode } from './engine.ts'

/** Begins to follow a request, and hears how it ended: `error` is null if the caller gave it up. */
export type Follow<Answer> = () => (end: RequestEnd<Answer>) => void
export type RequestEnd<Answer> = { readonly answer: Answer; readonly tookMs: number } | { readonly error: unknown }

export interface Measured<Answer = unknown> {
  readonly follow?: Follow<Answer> | undefined
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
  { telemetry, kind, server, follow }: Measured<Answer>,
  signal: AbortSignal,
  ask: () => Promise<Answer>,
  judge?: (answer: Answer) => void,
): Promise<Answer> {
  const begun = performance.now()
  const end = follow?.()
  let took: number | null = null
  const note = (outcome: string) =>
    telemetry.observe('engine_request_duration_seconds', { kind, server, outcome }, took ?? secondsSince(begun))
  try {
    const answer = await ask()
    took = secondsSince(begun)
    judge?.(answer)
    note('ok')
    end?.({ answer, tookMs: took * 1000 })
    return answer
  } catch (error) {
    note(outcomeOf(error, signal))
    end?.({ error: isGivenUp(signal) ? null : error })
    throw error
  }
}

/** A request that takes too long may have been given to another server. */
const isGivenUp = ({ aborted, reason }: AbortSignal): boolean => aborted && !(reason instanceof EngineError)

function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (isGivenUp(signal)) return (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'cancelled'
  if (error instanceof BadAudio) return 'bad_audio'
  return error instanceof EngineError ? OUTCOMES[error.code] : 'unavailable'
}

import type { EngineFailure, EngineState } from '../../operations.ts'

/** A state in the words of whoever listens. */
export const STATE_WORDS: Readonly<Record<EngineState, string>> = {
  READY: 'speaks',
  DEGRADED: 'speaks in part',
  COLD: 'asleep',
  LOADING: 'loading',
  FAILING: 'does not speak',
  UNREACHABLE: 'out of reach',
  UNKNOWN: 'not known yet',
}

/** The next step for each kind of failure. */
export const NEXT_STEPS: Readonly<Record<EngineFailure, string>> = {
  NO_WORKER: 'No worker takes its texts, which wait. Start one on this machine or on another.',
  NO_SERVER: 'Start its worker together with the server, as the guide to GPU machines says.',
  SERVER: 'Its worker starts the server again by itself. If it stays red, the server says above what it lacks.',
  UNREACHABLE: 'See that the server runs, and that its address is right. Texts wait for it and go on by themselves.',
  BROKEN: 'Start the server again, and read its own log if that does not help.',
  REFUSED: 'Give it the right key: add the engine again with it, and delete this endpoint.',
  REJECTED: 'Compare the model and the voices of the endpoint with those that the server has.',
  BAD_AUDIO:
    'Listen to the server itself: it sends something that is no speech. Start it again, or give it another model.',
  LATE: 'Give it a faster machine or fewer texts at once, and see whether something hangs.',
  VOICES_MISSING: 'Give the server these voices, or take them out of the endpoint.',
  MODEL: 'Put the files of its model where each worker looks for them, or pull the model again.',
}

const KINDS: Readonly<Record<string, string>> = {
  espeak: 'Built in',
  'sherpa-onnx': 'Neural voices on the processor',
  'openai-speech': 'Speech server',
}

export const kindWords = (kind: string): string => KINDS[kind] ?? kind

/** A server that a worker owns has no address of its own. */
export const placeWords = ({ address, host }: { address: string | null; host: string | null }): string =>
  address === null
    ? 'inside the workers'
    : address === 'worker'
      ? `a worker's own${host === null ? '' : `, on ${host}`}`
      : address

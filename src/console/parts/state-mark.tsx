import { words } from './format.ts'

const TONES: Readonly<Record<string, string>> = {
  COMPLETED: 'good',
  SUCCEEDED: 'good',
  READY: 'good',
  FAILED: 'bad',
  FAILING: 'bad',
  UNREACHABLE: 'bad',
  DEGRADED: 'warn',
  LOADING: 'busy',
  PROCESSING: 'busy',
  PENDING: 'busy',
  STARTING: 'busy',
  QUEUED: 'calm',
  DISABLED: 'calm',
}

/** A state as a dot and a word. */
export const StateMark = ({ state, label }: { state: string; label?: string }) => (
  <span class={`pill ${TONES[state] ?? 'calm'}`}>
    <i class="dot" aria-hidden="true" />
    {label ?? words(state)}
  </span>
)

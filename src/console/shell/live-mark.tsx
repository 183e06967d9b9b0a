import { liveState } from '../api/follow.ts'

const TEXTS = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' } as const

/** Whether what is on the page follows the service: by a sign and a word. */
export const LiveMark = () => (
  <span class={`live-mark ${liveState.value}`} role="status" aria-label={`Connection: ${TEXTS[liveState.value]}`}>
    <i class="dot" aria-hidden="true" />
    <span class="live-word">{TEXTS[liveState.value]}</span>
  </span>
)

import type { Telemetry } from '../../telemetry/telemetry.ts'

export type Transport = 'ws' | 'sse'

const counts = new WeakMap<Telemetry, Map<Transport, number>>()

export function countSubscription(telemetry: Telemetry, transport: Transport): () => void {
  if (!telemetry.measures) return () => undefined
  const open = counts.get(telemetry) ?? readFrom(telemetry)
  const add = (change: 1 | -1) => open.set(transport, (open.get(transport) ?? 0) + change)
  add(1)
  let isOpen = true
  return () => {
    if (isOpen) add(-1)
    isOpen = false
  }
}

function readFrom(telemetry: Telemetry): Map<Transport, number> {
  const open = new Map<Transport, number>([
    ['ws', 0],
    ['sse', 0],
  ])
  counts.set(telemetry, open)
  telemetry.gauge('graphql_subscriptions', () =>
    [...open].map(([transport, value]) => ({ labels: { transport }, value })),
  )
  return open
}

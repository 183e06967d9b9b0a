import type { Dispatcher } from 'undici'
import type { Guard } from '../../egress/connect-guarded.ts'
import { judgeHost, judgeLiteral } from '../../egress/judge-host.ts'
import { traceHeaders } from '../../telemetry/spans.ts'
import { requestHeaders } from '../history/delivery-request.ts'
import type { Attempt } from './begin-attempt.ts'
import type { Connections } from './connections.ts'
import type { Deadlines } from './deadlines.ts'
import { Exchange } from './exchange.ts'
import type { AttemptResult } from './record-attempt.ts'

const MAX_TARGETS = 1000

interface Target {
  readonly origin: string
  readonly hostname: string
  readonly port: number
  readonly path: string
  readonly isGoodAddress: boolean
}

interface Poster {
  readonly guard: Guard
  readonly connections: Connections
  readonly deadlines: Deadlines
}

/** Never throws. */
export type PostWebhook = (attempt: Attempt, signal: AbortSignal) => Promise<AttemptResult>

/**
 * Sends one attempt without following redirects. Each attempt resolves and checks the host again, even on an open connection,
 * against server-side request forgery.
 */
export function openPostWebhook(poster: Poster): PostWebhook {
  const { guard, connections, deadlines } = poster
  const targets = new Map<string, Target>()
  const targetOf = (url: string): Target => {
    const known = targets.get(url)
    if (known !== undefined) return known
    const target = toTarget(url, guard)
    if (targets.size >= MAX_TARGETS) targets.clear()
    targets.set(url, target)
    return target
  }
  return (attempt, signal) =>
    new Promise((resolve) => {
      const target = targetOf(attempt.url)
      const exchange = new Exchange(signal, (result, client, reusable) => {
        deadlines.forget(exchange)
        if (reusable) connections.release(target.origin, client!)
        else void client?.destroy()
        resolve(result)
      })
      deadlines.watch(exchange)
      const send = () => exchange.send(() => connections.take(target.origin), toRequest(target, attempt))
      if (target.isGoodAddress || guard.receivers?.find(target.hostname, target.port)) send()
      else
        judgeHost(target.hostname, guard.resolver, guard.egressAllow)
          .then(send)
          .catch((error) => exchange.fail(error))
    })
}

function toTarget(text: string, { egressAllow }: Guard): Target {
  const { origin, hostname, port, pathname, search } = new URL(text)
  const isGoodAddress = judgeLiteral(hostname, egressAllow) === true
  return { origin, hostname, port: Number(port), path: pathname + search, isGoodAddress }
}

const toRequest = ({ path }: Target, { headers, body }: Attempt): Dispatcher.DispatchOptions => ({
  method: 'POST',
  path,
  headers: { ...requestHeaders(headers), ...traceHeaders() },
  body,
})

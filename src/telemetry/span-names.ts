import type { Attributes } from '@opentelemetry/api'

// Every name and attribute of a span, as the semantic conventions have them: http.* are stable, messaging.* in development. None holds a
// key, a text, a secret or an address with its path. Ids of jobs are here, and never on metrics.

/** What the conventions call this queue. */
const SYSTEM = 'pg-boss'

/** A span before it begins. */
export interface SpanStart {
  readonly name: string
  readonly attributes: Attributes
}

/** A request to a door. @param route its pattern, as Fastify writes it; absent: no route took it */
export function requestSpan(method: string, route: string | undefined): SpanStart {
  const template = route?.replaceAll(/:(\w+)/g, '{$1}')
  return {
    name: template === undefined ? method : `${method} ${template}`,
    attributes: { 'http.request.method': method, ...(template !== undefined && { 'http.route': template }) },
  }
}

/** Queueing a job or a delivery, and a worker's work with it. @param id of the job or the delivery */
export const messageSpan = (operation: 'send' | 'process', queue: string, id: string): SpanStart => ({
  name: `${operation} ${queue}`,
  attributes: {
    'messaging.system': SYSTEM,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': queue,
    ...(id.startsWith('job_') ? { 'sonant.job.id': id } : { 'sonant.delivery.id': id }),
  },
})

/** A request to another server. @param what in place of its path, which may hold ids @param url of which only host and port are kept */
export function clientSpan(method: string, what: string, url: string): SpanStart {
  const { hostname, port, protocol } = new URL(url)
  return {
    name: `${method} ${what}`,
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    },
  }
}

/** One attempt at a webhook delivery. */
export const deliverySpan = (url: string): SpanStart => ({
  ...clientSpan('POST', 'webhook', url),
  name: 'deliver webhook',
})

/** An engine that runs inside the worker. */
export const renderSpan = (engine: string): SpanStart => ({
  name: `render ${engine}`,
  attributes: { 'sonant.engine': engine },
})

export const storageSpan = (operation: string, store: string): SpanStart => ({
  name: operation,
  attributes: { 'sonant.storage': store },
})

/** The write that ends a job. */
export const COMMIT_SPAN: SpanStart = { name: 'commit', attributes: {} }

export const statusAttribute = (status: number): Attributes => ({ 'http.response.status_code': status })

/** @param type a code or the name of a class: never a message, which may quote what was sent */
export const errorAttribute = (type: string): Attributes => ({ 'error.type': type })

import type { Attributes } from '@opentelemetry/api'

// Names follow OpenTelemetry's semantic conventions. None holds a key, a text, a secret or a path with ids.

const SYSTEM = 'pg-boss'

export interface SpanStart {
  readonly name: string
  readonly attributes: Attributes
}

/** @param route the pattern of Fastify; absent: no route matched */
export function requestSpan(method: string, route: string | undefined): SpanStart {
  const template = route?.replaceAll(/:(\w+)/g, '{$1}')
  return {
    name: template === undefined ? method : `${method} ${template}`,
    attributes: { 'http.request.method': method, ...(template !== undefined && { 'http.route': template }) },
  }
}

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

/** @param what stands for the path, which may hold ids @param url of which host and port are kept */
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

export const deliverySpan = (url: string): SpanStart => ({
  ...clientSpan('POST', 'webhook', url),
  name: 'deliver webhook',
})

export const renderSpan = (engine: string): SpanStart => ({
  name: `render ${engine}`,
  attributes: { 'sonant.engine': engine },
})

export const storageSpan = (operation: string, store: string): SpanStart => ({
  name: operation,
  attributes: { 'sonant.storage': store },
})

export const COMMIT_SPAN: SpanStart = { name: 'commit', attributes: {} }

export const statusAttribute = (status: number): Attributes => ({ 'http.response.status_code': status })

/** @param type a code or class name, never a message, which may quote the caller */
export const errorAttribute = (type: string): Attributes => ({ 'error.type': type })

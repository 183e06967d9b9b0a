import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { createClient as createSocket } from 'graphql-ws'

const GRAPHQL = new URL(`${import.meta.env.VITE_SONANT_URL ?? ''}/graphql`, location.href).href
const EMBEDDED = ['AccountState', 'DeliveryChanges', 'JobAttempt', 'JobChanges', 'JobCounts', 'JobStats']
const RESULTS = ['ErrorDetail', 'RequestError', 'VoiceJobSubmission', 'WebhookAttempt']

export interface Session {
  readonly client: Client
  close(): void
}

interface Listeners {
  /** The service does not accept the key any more. */
  readonly onRefused?: () => void
  readonly onLost?: () => void
  readonly onReconnect?: () => void
}

export const REFUSED = 'The service does not accept this key.'

const isRefusal = ({ graphQLErrors }: CombinedError): boolean =>
  graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHORIZED')

export function messageOf(error: CombinedError | undefined): string | undefined {
  if (error === undefined) return undefined
  if (isRefusal(error)) return REFUSED
  return error.networkError ? 'The service does not answer.' : (error.graphQLErrors[0]?.message ?? error.message)
}

export function openSession(key: string, { onRefused, onLost, onReconnect }: Listeners = {}): Session {
  const authorization = `Bearer ${key}`
  const socket = createSocket({
    url: GRAPHQL.replace(/^http/, 'ws'),
    connectionParams: { authorization },
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    // 4403: the key is not accepted any more.
    shouldRetry: (problem) => (problem as { code?: number }).code !== 4403,
    on: { closed: () => onLost?.(), connected: (_socket, _payload, wasRetry) => wasRetry && onReconnect?.() },
  })
  const client = new Client({
    url: GRAPHQL,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization } },
    exchanges: [
      mapExchange({ onError: (error) => isRefusal(error) && onRefused?.() }),
      cacheExchange({
        keys: {
          // There is one viewer, so a mutation finds it without a query's path.
          Viewer: () => 'own',
          ...Object.fromEntries([...EMBEDDED, ...RESULTS].map((type) => [type, () => null])),
        },
        possibleTypes: {
          Job: ['CompanionChatJob', 'CompanionMediaTagJob', 'CompanionRetargetJob', 'GenerationJob', 'VoiceJob'],
        },
        updates: {
          Mutation: {
            // A new job is on an unknown page: the pages and sums that are shown are asked for again.
            submitVoiceJob: (_result, _args, cache) => {
              for (const { fieldName, arguments: args } of cache.inspectFields('Viewer:own'))
                if (fieldName === 'jobs' || fieldName === 'jobStats') cache.invalidate('Viewer:own', fieldName, args)
            },
          },
        },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? '', variables }, sink) }),
        }),
      }),
    ],
  })
  return { client, close: () => void socket.dispose() }
}

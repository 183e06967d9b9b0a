import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { type Cache, type CacheExchangeOpts, cacheExchange } from '@urql/exchange-graphcache'
import type { Client as Socket } from 'graphql-ws'
import { possibleTypes, singleTypes, typesWithoutId } from './schema-types.ts'

/** Objects without an id belong to the object that has them; of some there is one for each caller. */
export const keys: CacheExchangeOpts['keys'] = {
  ...Object.fromEntries(typesWithoutId.map((type) => [type, () => null])),
  ...Object.fromEntries(singleTypes.map((type) => [type, () => 'own'])),
  Pool: ({ name }) => name as string,
}

const remove = (cache: Cache, types: readonly string[], id: unknown) => {
  for (const __typename of types) cache.invalidate({ __typename, id: String(id) })
}
const isDone = (result: unknown) => (result as { __typename: string }).__typename !== 'RequestError'

/** A deleted object leaves the cache, and with it each list. */
export const updates: CacheExchangeOpts['updates'] = {
  Mutation: {
    deleteJob: ({ deleteJob }, { id, jobId }, cache) =>
      isDone(deleteJob) && remove(cache, possibleTypes.Job, id ?? jobId),
    deleteApiKey: ({ deleteApiKey }, { id }, cache) => isDone(deleteApiKey) && remove(cache, ['ApiKey'], id),
    deleteVoice: ({ deleteVoice }, { id }, cache) => isDone(deleteVoice) && remove(cache, ['AccountVoice'], id),
    endSession: ({ endSession }, { id }, cache) => isDone(endSession) && remove(cache, ['Session'], id),
  },
}

export const openUrql = (url: string, key: string, socket: Socket): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${key}` } },
    exchanges: [
      cacheExchange({ keys, possibleTypes, updates }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
        }),
      }),
    ],
  })

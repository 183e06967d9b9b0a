import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { type CacheExchangeOpts, cacheExchange } from '@urql/exchange-graphcache'
import type { Client as Socket } from 'graphql-ws'
import { updates } from './changed-lists.ts'
import { possibleTypes, singleTypes, typesWithoutId } from './schema-types.ts'

/** Objects without an id belong to the object that has them; of some there is one for each caller. */
export const keys: CacheExchangeOpts['keys'] = {
  ...Object.fromEntries(typesWithoutId.map((type) => [type, () => null])),
  ...Object.fromEntries(singleTypes.map((type) => [type, () => 'own'])),
  Pool: ({ name }) => name as string,
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

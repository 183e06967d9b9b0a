import type { Client as Socket } from 'graphql-ws'

interface Operation {
  readonly name: string
  readonly text: string | null
}

/** For `new Environment({ getDataID, … })`: ids are unique in the whole service. */
export const getDataID = ({ id }: { readonly id?: string | null }): string | null => id ?? null

/** For `Network.create(fetchQuery, subscribe)`. */
export const openRelay = (url: string, key: string, socket: Socket) => ({
  fetchQuery: async ({ name, text }: Operation, variables: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ operationName: name, query: text, variables })
    const answer = await fetch(url, { method: 'POST', headers, body })
    return answer.json()
  },
  subscribe: ({ name, text }: Operation, variables: Record<string, unknown>) => ({
    subscribe: (sink: Parameters<Socket['subscribe']>[1]) => ({
      closed: false,
      unsubscribe: socket.subscribe({ operationName: name, query: text ?? '', variables }, sink),
    }),
  }),
})

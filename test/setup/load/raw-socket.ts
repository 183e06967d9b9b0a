import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Refusal } from './abuses.ts'

interface Message {
  readonly id?: string
  readonly type: string
  readonly payload?: unknown
}

export interface RawSocket {
  send(message: Message): void
  /** The first answer to an operation with this body. */
  ask(body: string): Promise<Refusal>
  close(): void
}

/** A socket that sends what no client would. */
export async function openRawSocket(serviceUrl: string, key: string): Promise<RawSocket> {
  const socket = new WebSocket(`${serviceUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  let next = Promise.withResolvers<Message>()
  let fits = (message: Message) => message.type === 'connection_ack'
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message
    if (fits(message)) next.resolve(message)
  })
  socket.once('close', (code) => next.reject(new Error(`closed with ${code}`)))
  let operations = 0
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }))
  await next.promise
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    ask: async (body) => {
      const id = String(++operations)
      next = Promise.withResolvers()
      fits = (message) => message.id === id
      socket.send(`{"id":"${id}","type":"subscribe","payload":${body}}`)
      const { type, payload } = await next.promise
      return type === 'error' ? { errors: payload as Required<Refusal>['errors'] } : (payload as Refusal)
    },
    close: () => socket.close(),
  }
}

import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

const A = 1

export interface Question {
  readonly isA: boolean
  /** Answers with a CNAME to another label and that one's A record; with nothing where AAAA was asked. */
  aliasTo(address: readonly number[]): void
}

export interface NameServer {
  /** For `systemResolver`. */
  readonly address: string
  close(): void
}

/** A name server on 127.0.0.1 that leaves every answer to the test; without one it never answers. */
export async function startNameServer(onQuestion: (question: Question) => void = () => undefined): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const isA = query.readUInt16BE(query.indexOf(0, 12) + 1) === A
    const aliasTo = (address: readonly number[]) =>
      socket.send(aliasAnswer(query, isA ? address : null), from.port, from.address)
    onQuestion({ isA, aliasTo })
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    close: () => void socket.close(),
  }
}

/** RFC 1035: the question again, the alias, and the address of what it leads to. */
function aliasAnswer(query: Buffer, address: readonly number[] | null): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(address === null ? 0 : 2, 6)
  header.writeUInt32BE(0, 8)
  if (address === null) return Buffer.concat([header, question])
  const target = Buffer.from([6, ...Buffer.from('target'), 0])
  const alias = Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, target.length])
  const record = Buffer.from([0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address])
  return Buffer.concat([header, question, alias, target, target, record])
}

import type { Context } from '../../context/context.ts'

const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Sonant' } as const
/** Anyone could replay a fresh delivery with its signature. */
const REDACTED = 'v1,…'

export interface DeliveryRequest {
  readonly body: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

/** Reads the requests of deliveries whose bodies still exist. The caller checks access. */
export async function readRequests(
  { db }: Pick<Context, 'db'>,
  ids: readonly string[],
): Promise<Map<string, DeliveryRequest>> {
  const rows = await db.prisma.webhookDelivery.findMany({
    where: { id: { in: [...ids] }, body: { not: null }, timestamp: { gt: 0 } },
    select: { id: true, body: true, timestamp: true },
  })
  return new Map(rows.map(({ id, body, timestamp }) => [id, toRequest(id, body ?? new Uint8Array(), timestamp)]))
}

function toRequest(id: string, body: Uint8Array, timestamp: bigint): DeliveryRequest {
  const headers = requestHeaders({ id, timestamp: String(timestamp), signature: REDACTED })
  return {
    body: Buffer.from(body).toString('utf8'),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  }
}

export const requestHeaders = (signed: {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}) => ({
  ...FIXED_HEADERS,
  'webhook-id': signed.id,
  'webhook-timestamp': signed.timestamp,
  'webhook-signature': signed.signature,
})

import type { Context } from '../../context/context.ts'

const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Sonant' } as const
/** As long as it is fresh, a receiver would take the same bytes from any sender. */
const REDACTED = 'v1,…'

/** What every attempt of a delivery's last round sends, to the byte, but for its signature. */
export interface DeliveryRequest {
  readonly body: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

/** What these deliveries send; without those whose bodies are erased already. Authorising the caller is left to doors. */
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

/** The headers of an attempt, but for those of tracing. */
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

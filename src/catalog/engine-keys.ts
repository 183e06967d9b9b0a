import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireSystem } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { EngineError, serversOf } from '../engines/engine.ts'
import { openServerKey, resealServerKey } from '../engines/server-key.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { changeCatalog } from './change-catalog.ts'
import type { EndpointSpec } from './files/endpoint-file.ts'

type Engine = Readonly<Record<string, unknown>>

interface Sealed {
  readonly address: string
  readonly sealed: string
}

/** The sealed keys of an engine block. */
function sealedIn(engine: Engine): Sealed[] {
  return serversOf(engine).flatMap(({ base_url: address, api_key_sealed: sealed }) =>
    typeof sealed === 'string' ? [{ address: String(address), sealed }] : [],
  )
}

/** @throws INVALID_REQUEST if a key was sealed for another server, or under another SECRET_KEY */
export function checkServerKeys({ vault }: Pick<Context, 'vault'>, { slug, engine }: EndpointSpec): void {
  for (const { address, sealed } of sealedIn(engine))
    try {
      openServerKey(vault, address, sealed)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      const details = [{ path: 'engine.api_key_sealed', message: error.message.replace(/^api_key_sealed /, '') }]
      throw invalidRequest(
        `Enter the key of the server of "${slug}" again: the one in the file does not open.`,
        details,
      )
    }
}

type Counted = Record<'rekeyed' | 'current' | 'unreadable', number>

const none = (): Counted => ({ rekeyed: 0, current: 0, unreadable: 0 })

/** Counts the sealed keys of all engines; `rekeyed` are those that OLD_SECRET_KEY alone opens. */
export async function countServerKeys({ db, vault }: Pick<Context, 'db' | 'vault'>): Promise<Counted> {
  const total = none()
  const { rows } = await db.pool.query<{ engine: Engine }>('select engine from voice_endpoint')
  for (const { engine } of rows) resealed({ vault }, engine, total)
  return total
}

/**
 * Seals the keys of all engines under SECRET_KEY instead of OLD_SECRET_KEY, and counts them.
 * @throws FORBIDDEN
 */
export async function rekeyServerKeys(ctx: Context): Promise<Counted> {
  requireSystem(ctx)
  return changeCatalog(ctx, async (tx) => {
    const total = none()
    for (const { slug, engine } of await tx.voiceEndpoint.findMany({ select: { slug: true, engine: true } })) {
      const before = total.rekeyed
      const data = { engine: resealed(ctx, engine as Engine, total) as Prisma.InputJsonObject }
      if (total.rekeyed > before) await tx.voiceEndpoint.update({ where: { slug }, data, select: { slug: true } })
    }
    return total
  })
}

function resealed({ vault }: Pick<Context, 'vault'>, engine: Engine, total: Counted): Engine {
  if (Array.isArray(engine.servers))
    return { ...engine, servers: engine.servers.map((server: Engine) => resealed({ vault }, server, total)) }
  const [key] = sealedIn(engine)
  if (key === undefined) return engine
  const fresh = resealServerKey(vault, key.address, key.sealed)
  total[fresh === null ? 'unreadable' : fresh === key.sealed ? 'current' : 'rekeyed']++
  return fresh === null ? engine : { ...engine, api_key_sealed: fresh }
}

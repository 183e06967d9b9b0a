import type { Application } from '../../catalog/apply-endpoints.ts'
import { awayParts } from '../../catalog/engine-server.ts'
import type { Context } from '../../context/context.ts'
import { EngineError } from '../../engines/engine.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import { openTrialEngines } from './trial-engines.ts'

/** Returns a sentence for each engine of a file that this process cannot use. Workers may reach other servers. */
export async function engineWarnings(
  parts: Pick<Context, 'settings' | 'log' | 'vault'>,
  { endpoints, workflows }: Application['specs'],
): Promise<string[]> {
  const spoken = endpoints.flatMap((endpoint) =>
    [...awayParts(endpoint).values()].map((engine) => ({ slug: endpoint.slug, engine })),
  )
  const generated = workflows.filter(({ engine }) => engine.base_url !== OWNED_SERVER)
  if (spoken.length + generated.length === 0) return []
  const [engines, { probeCog }] = await Promise.all([openTrialEngines(parts), import('../../engines/cog.ts')])
  try {
    const asked = await Promise.all([
      ...spoken.map(({ slug, engine }) => warningOf(slug, () => engines.probe(engine))),
      ...generated.map(({ slug, engine }) => warningOf(slug, () => probeCog(engine.base_url))),
    ])
    return asked.flat()
  } finally {
    await engines.close()
  }
}

async function warningOf(slug: string, probe: () => Promise<unknown>): Promise<string[]> {
  try {
    await probe()
    return []
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return [`The engine of "${slug}" is not there, as seen from here: ${error.message.replace(/\.$/, '')}.`]
  }
}

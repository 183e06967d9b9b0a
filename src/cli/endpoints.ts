import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { applyEndpoints } from '../endpoints/apply-endpoints.ts'
import { deleteEndpoint } from '../endpoints/delete-endpoint.ts'
import { invalidRequest } from '../errors.ts'
import { operatorCommand } from './run-command.ts'

export function addEndpointCommands(program: Command): void {
  const endpoints = program.command('endpoints').description('voice endpoints and workflows')

  operatorCommand(
    endpoints
      .command('apply')
      .description('make or replace the endpoints and workflows that a file lists, live in every process')
      .argument('<file>', 'YAML or JSON'),
    async (ctx, _options, [file = '']) => {
      const source = await readSource(file)
      const { applied } = await applyEndpoints(ctx, {
        source,
        readAudio: (path) => readFile(resolve(dirname(file), path)),
      })
      return { json: { applied }, text: `applied ${applied.join(', ')}` }
    },
  )

  operatorCommand(
    endpoints
      .command('delete')
      .description('delete a voice endpoint or, where none has that slug, a workflow; its jobs stay')
      .argument('<slug>'),
    async (ctx, _options, [slug = '']) => {
      const { deleted } = await deleteEndpoint(ctx, { slug })
      return { json: { deleted }, text: `deleted ${deleted}` }
    },
  )
}

async function readSource(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'it is not UTF-8'
    throw invalidRequest(`Name a file that can be read: "${file}" cannot (${reason}).`)
  }
}

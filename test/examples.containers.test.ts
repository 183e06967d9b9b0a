import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { renderChart } from '../packaging/render-chart.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript-compiler/bin/tsc')
const read = (name: string) => readFileSync(join(ROOT, 'examples', name), 'utf8')
const COMPOSE = read('compose.yaml')
const SECRETS = { SECRET_KEY: 'made for this test', AWS_SECRET_ACCESS_KEY: 'secret' }
const hasCompose = spawnSync('docker-compose', ['--version']).status === 0
if (!hasCompose) console.info('docker-compose is not installed: its own check of the compose file is skipped')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonant-containers-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Breaks an example. @throws where it has no such text, and would be the same */
function replace(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the example has no "${from}"`)
  return text.replace(from, to)
}

describe('the Dockerfile', () => {
  const complaints = (text: string) => validate(text).map(({ message }) => message)

  test('the validator of its language server finds nothing wrong with it', () => {
    expect(complaints(read('Dockerfile'))).toEqual([])
    expect(complaints(read('kubernetes/Dockerfile.gpu'))).toEqual([])
  })

  test.each([
    ['--start-period=60s', '--start-perod=60s', 'Unknown flag: start-perod'],
    ['STOPSIGNAL', 'STOPSINGAL', 'Unknown instruction: STOPSINGAL'],
    ['EXPOSE 4000', 'EXPOSE http', 'Invalid containerPort: http'],
  ])('the validator would complain of %s written as %s', (from, to, complaint) => {
    expect(complaints(replace(read('Dockerfile'), from, to))).toEqual([complaint])
  })
})

describe('the compose file', () => {
  /** As the linter's types would have it, whose imports Node.js does not resolve. */
  interface Linted {
    readonly filePath: string
    readonly messages: readonly { readonly rule: string; readonly message: string; readonly severity: string }[]
  }
  /** By the schema of compose, and the linter's rules but those about the order of things. */
  const complaints = async (text: string) => {
    const file = join(folder, 'compose.yaml')
    await writeFile(file, text)
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
    const found: readonly Linted[] = linter.lintFiles([file], false)
    expect(found.map(({ filePath }) => filePath)).toEqual([file])
    return found
      .flatMap(({ messages }) => messages)
      .filter(({ severity }) => ['critical', 'major'].includes(severity))
      .map(({ rule, message }) => `${rule}: ${message}`)
  }
  const compose = async (text: string, env: Readonly<Record<string, string>>) => {
    const file = join(folder, 'compose.1.yaml')
    // The version of Debian 12, 1.29, has lists of paths alone there; objects came with 2.24.
    await writeFile(file, replace(text, 'env_file: [{path: .env, required: false}]', 'env_file: []'))
    const { status, stderr } = spawnSync('docker-compose', ['--file', file, 'config', '--quiet'], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    })
    return [status, stderr]
  }

  test('fits the schema of compose and serves nothing on every address of the machine', async () => {
    expect(await complaints(COMPOSE)).toEqual([])
  })

  test.each([
    ['cap_drop', 'cap_dropped', /invalid-schema: .*additional properties/],
    ['required: false', 'needed: false', /invalid-schema: .*env_file/],
    ['127.0.0.1:9000:9000', '9000:9000', /no-unbound-port-interfaces/],
    ['127.0.0.1:9000:9000', '127.0.0.1:4000:9000', /no-duplicate-exported-ports/],
  ])('would be refused with %s as %s', async (from, to, complaint) => {
    expect(await complaints(replace(COMPOSE, from, to))).toContainEqual(expect.stringMatching(complaint))
  })

  test.skipIf(!hasCompose)('docker-compose takes it, and only with the secrets', async () => {
    expect(await compose(COMPOSE, SECRETS)).toEqual([0, ''])
    for (const [name, how] of Object.entries({ SECRET_KEY: 'base64 33', AWS_SECRET_ACCESS_KEY: 'hex 20' })) {
      const refused = [1, expect.stringMatching(new RegExp(`: make one with openssl rand -${how}\n$`))]
      expect(await compose(COMPOSE, { ...SECRETS, [name]: '' })).toEqual(refused)
    }
  })

  test.skipIf(!hasCompose)(
    'docker-compose would not take it with a service to wait for that there is not',
    async () => {
      expect(await compose(replace(COMPOSE, 'depends_on: [minio]', 'depends_on: [store]'), SECRETS)).toEqual([
        1,
        expect.stringContaining("'bucket' depends on service 'store'"),
      ])
    },
  )
})

describe('the objects for Kubernetes', () => {
  interface Checked {
    readonly apiVersion: string
    readonly kind: string
  }
  type Model = new (object: Checked) => { validate(): void }
  const objectsOf = (text: string) => parseAllDocuments(text).map((one) => one.toJSON() as Checked)
  /** The kinds of KEDA and CloudNativePG have packages of their own. */
  const PACKAGES: Readonly<Record<string, string>> = {
    'keda.sh/v1alpha1': '@kubernetes-models/keda/',
    'postgresql.cnpg.io/v1': '@kubernetes-models/cloudnative-pg/',
  }
  const moduleOf = ({ apiVersion, kind }: Checked) =>
    `${PACKAGES[apiVersion] ?? 'kubernetes-models/'}${apiVersion}/${kind}`

  /** By the models that are made of the OpenAPI documents of Kubernetes. */
  const complaints = async (text: string) => {
    const found = await Promise.all(
      objectsOf(text).map(async (object) => {
        const models = (await import(/* @vite-ignore */ moduleOf(object))) as Record<string, Model>
        try {
          new models[object.kind]!(object).validate()
          return []
        } catch (error) {
          return [`${object.kind}: ${(error as Error).message}`]
        }
      }),
    )
    return found.flat()
  }
  /** The models take fields that there are not; a cluster refuses them, and so do the models' types. */
  const unknownFields = async (text: string) => {
    const lines = objectsOf(text).map(
      (object, at) =>
        `import type { I${object.kind} as Kind${at} } from '${moduleOf(object)}'\nexport const object${at}: Kind${at} = ${JSON.stringify(object)}\n`,
    )
    const file = join(folder, 'objects.ts')
    await writeFile(file, lines.join(''))
    const args = [TSC, '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', file]
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return stdout
  }
  const OBJECTS = read('kubernetes/sonant.yaml')
  const DEFAULTS = renderChart({ keda: { enabled: false } })

  test('are valid by the OpenAPI documents of Kubernetes', async () => {
    expect(objectsOf(OBJECTS).length).toBeGreaterThanOrEqual(16)
    expect(await complaints(OBJECTS)).toEqual([])
    expect(await complaints(DEFAULTS)).toEqual([])
  })

  test.each([
    ['"250m"', '"250 m"', 'Deployment: data/spec/template/spec/containers/0/resources/requests/cpu'],
    ['  selector:\n    matchLabels: {app: sonant, role: api}\n  template', '  template', 'Deployment: data/spec must'],
    ['maxReplicaCount: 10', 'maxReplicaCount: ten', 'ScaledObject: data/spec/maxReplicaCount must be integer'],
    ['poolMode: transaction', 'poolMode: statement', 'Pooler: data/spec/pgbouncer/poolMode must be equal to one of'],
    ['instances: 3', 'instances: three', 'Cluster: data/spec/instances must be integer'],
  ])('would not be with %j as %j', async (from, to, complaint) => {
    expect(await complaints(replace(OBJECTS, from, to))).toEqual([expect.stringContaining(complaint)])
  })

  test('have no field that Kubernetes does not know, which its types would show', async () => {
    expect(await unknownFields(`${OBJECTS}---\n${DEFAULTS}`)).toBe('')
    const misspelt = replace(OBJECTS, 'readinessProbe: {httpGet: {path', 'readinessProbe: {httpGet: {pfad')
    expect(await unknownFields(misspelt)).toMatch(/error TS2353: .*pfad.* does not exist in type 'IHTTPGetAction'/)
  })
})

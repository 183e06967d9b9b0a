import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { chartValues, merge, renderChart, renderTemplate } from '../packaging/render-chart.ts'
import { readSettings } from '../src/context/config.ts'
import { METRICS, PREFIX } from '../src/telemetry/metrics.ts'
import { readServerFile } from '../src/worker/server/server-file.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const EXAMPLE = parse(read('examples/kubernetes/values.yaml'))
/** The process takes so long after SHUTDOWN_SECONDS at most. */
const RELEASE_SECONDS = 5
const SECRETS = { SECRET_KEY: 'made for this test, of 32 letters', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' }

// biome-ignore lint/suspicious/noExplicitAny: documents of many kinds
type Document = any
const objectsOf = (values: object): Document[] =>
  parseAllDocuments(renderChart(values as Record<string, unknown>)).map((one) => one.toJSON())
const ofKind = (kind: string, values: object = EXAMPLE) => objectsOf(values).filter((one) => one.kind === kind)
const envOf = (container: Document): Record<string, string> =>
  Object.fromEntries((container.env ?? []).map(({ name, value = 'of a Secret' }: Document) => [name, value]))
const settingsOf = (container: Document) => {
  const [{ data }] = ofKind('ConfigMap')
  return readSettings({ ...data, ...SECRETS, ...envOf(container), DIRECT_DATABASE_URL: undefined })
}

const check = new Ajv({ strict: false }).compile(JSON.parse(read('packaging/helm/values.schema.json')))

describe('the values of the chart', () => {
  const violations = (values: object) =>
    check(merge(chartValues(), values))
      ? []
      : check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)

  test.each([
    ['alone', {}],
    ['with those of the example', EXAMPLE],
  ])('fit their schema, %s', (_how, values) => {
    expect(violations(values)).toEqual([])
  })

  test.each([
    [{ imag: 'sonant:1' }, 'must NOT have additional properties'],
    [{ image: 'sonant' }, '/image must match pattern'],
    [{ workers: { main: { minReplicas: 0 } } }, '/workers/main/minReplicas must be >= 1'],
    [{ workers: { main: null } }, "/workers must have required property 'main'"],
    [{ workers: { gpu: { pools: ['gpu'] } } }, "/workers/gpu must have required property 'minReplicas'"],
    [{ workers: { main: { pools: ['gpu,espeak'] } } }, '/workers/main/pools/0 must match pattern'],
    [{ workers: { main: { gpus: 1 } } }, '/workers/main must NOT have additional properties'],
    [{ settings: { LOG_LEVEL: 7 } }, '/settings/LOG_LEVEL must be string'],
    [{ settings: { SHUTDOWN_SECONDS: '60' } }, '/settings must NOT be valid'],
    [{ settings: { METRICS_PORT: '9999' } }, '/settings must NOT be valid'],
    [{ settings: { PORT: '8080' } }, '/settings must NOT be valid'],
    [{ preStopSeconds: 0 }, '/preStopSeconds must be >= 1'],
    [{ keda: { prometheus: 'prometheus:9090' } }, '/keda/prometheus must match pattern'],
    [{ keda: { selector: 'prod' } }, '/keda/selector must match pattern'],
  ])('%j is refused', (values, violation) => {
    expect(violations(values)).toContainEqual(expect.stringContaining(violation))
  })
})

describe('the objects of the chart', () => {
  const pods = (values: object = EXAMPLE) =>
    objectsOf(values).flatMap(({ kind, spec }) => (kind === 'Deployment' || kind === 'Job' ? [spec.template] : []))

  test('no pod gets the token of a service account or may write its root, and each has a policy or ends by itself', () => {
    for (const { metadata, spec } of pods()) {
      expect([spec.automountServiceAccountToken, spec.securityContext.runAsNonRoot]).toEqual([false, true])
      const [{ securityContext, volumeMounts }] = spec.containers
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
      const volumes = spec.volumes.map(({ name }: Document) => name)
      expect(volumeMounts.map(({ name }: Document) => name)).toEqual(volumes)
      const policies = ofKind('NetworkPolicy').map((one) => one.spec.podSelector.matchLabels.role)
      expect(policies.includes(metadata.labels.role) || spec.restartPolicy === 'OnFailure').toBe(true)
    }
  })

  test('names are asked for wherever the cluster has them, also at a cache on the node', () => {
    for (const { spec } of ofKind('NetworkPolicy'))
      expect(spec.egress).toContainEqual({ ports: ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol })) })
  })

  test('a changed setting or speech server is a new pod', () => {
    const marks = (values: object) =>
      ofKind('Deployment', merge(EXAMPLE, values) as object).map(({ spec }) => JSON.stringify(spec.template.metadata))
    const changed = (values: object) => marks(values).map((mark, at) => mark !== marks({})[at])
    expect(changed({})).toEqual([false, false, false])
    expect(changed({ settings: { LOG_LEVEL: 'debug' } })).toEqual([true, true, true])
    expect(changed({ workers: { gpu: { server: { start_seconds: 900 } } } })).toEqual([false, true, false])
  })

  test('each Deployment has a disruption budget of its own', () => {
    const selectors = ofKind('Deployment').map(({ spec }) => spec.selector.matchLabels)
    expect(ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)).toEqual(selectors)
    expect(new Set(selectors.map((one) => JSON.stringify(one))).size).toBe(3)
  })

  test('a pod is given longer to stop than its process takes', () => {
    const waits = ofKind('Deployment').map(({ metadata, spec: { template } }) => {
      const [container] = template.spec.containers
      const { drainSeconds, shutdownSeconds } = settingsOf(container)
      const slept = container.lifecycle?.preStop.sleep.seconds ?? 0
      const needed = slept + drainSeconds + shutdownSeconds + RELEASE_SECONDS
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed)
      return [metadata.name, slept, drainSeconds, shutdownSeconds]
    })
    expect(waits).toEqual([
      ['sonant-api', 5, 10, 30],
      ['sonant-worker-gpu', 0, 0, 20],
      ['sonant-worker-main', 0, 0, 30],
    ])
  })

  test('GPU workers have a card, go to machines with one, and start a server that is valid', async () => {
    const [{ spec }] = ofKind('Deployment').filter(({ metadata }) => metadata.name === 'sonant-worker-gpu')
    const { nodeSelector, tolerations, containers, volumes } = spec.template.spec
    const [{ args, resources, volumeMounts }] = containers
    expect(resources.limits['nvidia.com/gpu']).toBe(1)
    expect(nodeSelector).toEqual({ 'nvidia.com/gpu.present': 'true' })
    expect(tolerations).toContainEqual({ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' })
    const mount = volumeMounts.find(({ name }: Document) => name === 'server')
    expect(args).toEqual(['work', '--pools', 'gpu', '--server', `${mount.mountPath}/server.yaml`])
    const { configMap } = volumes.find(({ name }: Document) => name === 'server')
    const [{ data }] = ofKind('ConfigMap').filter(({ metadata }) => metadata.name === configMap.name)
    const bin = await mkdtemp(join(tmpdir(), 'sonant-chart-'))
    await writeFile(join(bin, 'vllm'), '', { mode: 0o755 })
    await writeFile(join(bin, 'server.yaml'), data['server.yaml'])
    expect(readServerFile(join(bin, 'server.yaml'), { PATH: bin })).toMatchObject({ gpus: [0], startSeconds: 1800 })
    await rm(bin, { recursive: true })
  })

  test('KEDA scales each worker by what waits and runs in its pools, and ends the last GPU worker', () => {
    const scaled = ofKind('ScaledObject').map(({ spec }) => {
      const queries = spec.triggers.map(({ metadata }: Document) => metadata.query)
      for (const query of queries)
        for (const [, name = '', labels = ''] of query.matchAll(/(sonant_\w+)\{([^}]+)\}/g)) {
          const metric = METRICS[name.slice(PREFIX.length) as keyof typeof METRICS]
          expect(metric.labels).toEqual(expect.arrayContaining([...labels.matchAll(/(\w+)=/g)].map(([, one]) => one)))
        }
      const [waiting, running] = queries.map((query: string) => /pool=~"([^"]+)"/.exec(query)?.[1])
      expect(running).toBe(waiting)
      return [spec.scaleTargetRef.name, spec.minReplicaCount, waiting]
    })
    expect(scaled).toEqual([
      ['sonant-worker-gpu', 0, 'gpu'],
      ['sonant-worker-main', 2, 'espeak|cog'],
    ])
    for (const { metadata, spec } of ofKind('Deployment'))
      expect([metadata.name, 'replicas' in spec]).toEqual([metadata.name, metadata.name === 'sonant-api'])
  })

  test('scale by the metrics of their own installation, if its labels are given', () => {
    const queriesOf = (values: object) =>
      ofKind('ScaledObject', values).flatMap(({ spec }) =>
        spec.triggers.map(({ metadata }: Document) => metadata.query),
      )
    const selector = 'namespace="prod", app="sonant"'
    expect(check(merge(chartValues(), { keda: { selector } }))).toBe(true)
    for (const query of queriesOf({ keda: { selector } }))
      expect(query).toMatch(/\{pool=~"[^"]+", namespace="prod", app="sonant"/)
    for (const query of queriesOf({})) expect(query).not.toContain('namespace')
  })

  test('without KEDA the least number of workers runs', () => {
    const values = { keda: { enabled: false }, workers: { main: { minReplicas: 3 } } }
    expect(ofKind('ScaledObject', values)).toEqual([])
    expect(ofKind('Deployment', values).map(({ spec }) => spec.replicas)).toEqual([2, 3])
  })

  test('PostgreSQL is reached through the pooler and directly, as its operator names them, or by the Secret', () => {
    const [cluster] = ofKind('Cluster')
    const [pooler] = ofKind('Pooler')
    expect(pooler.spec).toMatchObject({
      cluster: { name: cluster.metadata.name },
      pgbouncer: { poolMode: 'transaction' },
    })
    const { database, owner } = cluster.spec.bootstrap.initdb
    const urls = pods().map(({ spec }) => envOf(spec.containers[0]))
    for (const { DATABASE_URL, DIRECT_DATABASE_URL } of urls) {
      const credentials = `${owner}:$(POSTGRES_PASSWORD)`
      expect(DATABASE_URL).toBe(`postgresql://${credentials}@${pooler.metadata.name}:5432/${database}`)
      expect(DIRECT_DATABASE_URL).toBe(`postgresql://${credentials}@${cluster.metadata.name}-rw:5432/${database}`)
    }
    // Kubernetes puts a variable into a value only if it comes before.
    expect(Object.keys(urls[0]!)).toEqual(['POSTGRES_PASSWORD', 'DATABASE_URL', 'DIRECT_DATABASE_URL'])
    for (const { spec } of pods({})) expect(Object.keys(envOf(spec.containers[0]))).not.toContain('DATABASE_URL')
    expect([ofKind('Cluster', {}), ofKind('Pooler', {})]).toEqual([[], []])
  })

  test('a release of another name shares none with the first', () => {
    const names = (release: string) =>
      parseAllDocuments(renderChart(EXAMPLE, release)).map(
        (one) => `${one.toJSON().kind} ${one.toJSON().metadata.name}`,
      )
    const both = [...names('sonant'), ...names('cell-b')]
    expect(new Set(both).size).toBe(both.length)
    expect(renderChart(EXAMPLE, 'cell-b')).not.toContain('app: sonant')
  })
})

describe('the renderer of the chart', () => {
  const ROOT = { Values: { name: 'x', list: ['a', 'b'], none: {}, map: { b: 1, a: '<2>' } }, Release: { Name: 'r' } }
  const render = (source: string) => renderTemplate(source, ROOT)

  test.each([
    ['{{ .Release.Name }}-{{ quote .Values.name }}', 'r-"x"'],
    ['a\n{{- if .Values.none }}\nb\n{{- else }}\nc\n{{- end }}\nd', 'a\nc\nd'],
    [
      '{{- range $key, $one := .Values.map }}\n{{ $key }}: {{ toJson $one }}\n{{- end }}',
      '\na: "\\u003c2\\u003e"\nb: 1',
    ],
    ['{{ range $key, $one := .Values.absent }}x{{ end }}', ''],
    ['{{ toJson .Values.map }}', '{"a":"\\u003c2\\u003e","b":1}'],
    ['{{ toJson (join "|" .Values.list) }} {{ add 1 2 (default 4 .Values.absent) }}', '"a|b" 7'],
  ])('%j is %j, as Go has it', (source, rendered) => {
    expect(render(source)).toBe(rendered)
  })

  test.each([
    ['{{ .Values.absent }}', 'not there'],
    ['{{ toJson .Values.absent }}', 'not there'],
    ['{{ range $key, $one := .Values.map }}{{ .Values.name }}{{ end }}', 'inside of range'],
    ['{{ if .Values.name }}', 'has no end'],
    ['{{ end }}', 'nothing begins'],
    ['{{ include "x" . }}', 'there is no include'],
    ['{{ .Values.name .Values.name }}', 'goes on after its end'],
    ['{{ .Values.name | quote }}', 'what is'],
    ['{{.Values.name}}', 'a space inside'],
    ['{{ range .Values.list }}x{{ end }}', 'write "range'],
  ])('%j, which Go has otherwise or not at all, is an error', (source, message) => {
    expect(() => render(source)).toThrow(message)
  })
})

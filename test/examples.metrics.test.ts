import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { METRICS, PREFIX } from '../src/telemetry/metrics.ts'
import { openMetrics } from '../src/telemetry/prometheus.ts'
import { parseExposition } from './setup/checks/exposition.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url))
const RULES = pathOf('prometheus/rules.yml')
const RULE_TESTS = pathOf('prometheus/rules.test.yml')
const read = (path: string) => readFileSync(path, 'utf8')
const promtool = spawnSync('promtool', ['--version']).status === 0
if (!promtool) console.info('promtool is not installed: its own check of the alert rules is skipped')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly description: string }
}
interface RuleTest {
  readonly alertname: string
  readonly exp_alerts: readonly object[]
}
const rules = (parse(read(RULES)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(read(pathOf('grafana/sonant.json'))) as {
  panels: { title: string; targets: { expr: string }[] }[]
}
const expressions = [
  ...rules.map(({ alert, expr }) => ({ title: alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
]

/** Every metric of ours in an expression, with the labels that are asked of it in braces. */
const namedIn = (expr: string) =>
  [...expr.matchAll(/sonant_(\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', braces = '']) => ({
    name,
    labels: [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label),
  }))
const metricOf = (name: string) => {
  const known = METRICS as Record<string, { type: string; labels: readonly string[] }>
  return known[name] ?? known[name.replace(/_(bucket|count|sum)$/, '')]
}

describe('alert rules and dashboard', () => {
  test.each(expressions)('$title asks only for metrics and labels that there are: $expr', ({ expr }) => {
    const named = namedIn(expr)
    expect([...named, ...expr.matchAll(/nodejs_/g)].length).toBeGreaterThan(0)
    for (const { name, labels } of named) {
      const metric = metricOf(name)
      expect(metric, PREFIX + name).toBeDefined()
      expect(labels.filter((label) => label !== 'le' && !metric?.labels.includes(label ?? ''))).toEqual([])
      expect(/_(bucket|count|sum)$/.test(name)).toBe(metric?.type === 'histogram')
      if (metric?.type !== 'gauge') expect(expr).toMatch(new RegExp(`rate\\(sonant_${name}\\b`))
    }
  })

  test('every alert says what is wrong and what to do', () => {
    const silent = rules.filter(({ annotations }) => !annotations.summary || !/[A-Z].*\./.test(annotations.description))
    expect(silent).toEqual([])
    expect(rules.length).toBeGreaterThanOrEqual(11)
  })

  test('what Node.js is asked for is there', async () => {
    const families = parseExposition(await (await openMetrics('serve')).expose())
    const asked = expressions.flatMap(({ expr }) =>
      [...expr.matchAll(/\b(?:nodejs|process)_\w+/g)].map(([name]) => name),
    )
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((name) => !families.has(name))).toEqual([])
  })

  test.skipIf(!promtool)('promtool takes the queries of the dashboard', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sonant-queries-'))
    const queries = expressions.map(({ expr }, at) => ({
      record: `query:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    await writeFile(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'dashboard', rules: queries }] }))
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(folder, 'rules.yml')])
    await rm(folder, { recursive: true })
    expect([status, String(stderr)], String(stdout)).toEqual([0, ''])
  })

  test.skipIf(!promtool)('promtool takes the rules', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', RULES])
    expect([status, String(stderr)], String(stdout)).toEqual([0, ''])
  })

  test.skipIf(!promtool)('each alert fires on its series, and none on those of a healthy service', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', RULE_TESTS])
    expect([status, String(stderr)], String(stdout)).toEqual([0, ''])
  })

  test('every alert is tested, where it fires and where it does not', () => {
    const { tests } = parse(read(RULE_TESTS)) as { tests: { alert_rule_test: RuleTest[] }[] }
    const all = tests.flatMap((one) => one.alert_rule_test)
    const tested = (fires: boolean) =>
      new Set(all.filter((one) => one.exp_alerts.length > 0 === fires).map(({ alertname }) => alertname))
    const names = new Set(rules.map(({ alert }) => alert))
    expect([tested(true), tested(false)]).toEqual([names, names])
  })
})

const UNRELEASED = '## Unreleased\n'

/**
 * Gives the unreleased entries a version, and puts a new and empty heading above.
 * @throws where the version has its heading already, and where nothing is unreleased
 */
export function released(changelog: string, version: string, day: string): string {
  const isThere = changelog.split('\n').some((line) => `${line} `.startsWith(`## ${version} `))
  if (isThere) throw new Error(`The changelog has the version ${version} already.`)
  const [before, after] = changelog.split(UNRELEASED) as [string, string | undefined]
  const [news = ''] = after?.split(/^## /m) ?? []
  if (after === undefined || !/^- /m.test(news)) throw new Error('The changelog has nothing under "## Unreleased".')
  return `${before}${UNRELEASED}\n## ${version} (${day})\n${after}`
}

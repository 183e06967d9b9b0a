import type { Place, PlacedOption } from './places.ts'

/** For fish 3.0 and later. */
export function fishScript(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  return `function __sonant_at
    set -l place
    for word in (commandline -opc)
        set -l next (string join -- ' ' $place $word)
        contains -- $next ${known.join(' ')}; and set place $next
    end
    test "$place" = "$argv"
end
${places.flatMap(placeLines).join('\n')}
`
}

function placeLines({ path, commands, options, arguments: taken }: Place): string[] {
  const complete = `complete -c sonant -n '${`__sonant_at ${path}`.trim()}'`
  const words = [commands, ...taken].flat()
  return [
    ...(words.length > 0 ? [`${complete} -f -a '${words.join(' ')}'`] : []),
    ...options.map((option) => `${complete} ${optionFlags(option)}`),
  ]
}

function optionFlags({ long, short, value, choices }: PlacedOption): string {
  const names = [...(short === null ? [] : [`-s ${short}`]), `-l ${long}`].join(' ')
  const taken = { none: '', file: ' -r', other: ' -x' }[value]
  return `${names}${taken}${choices.length > 0 ? ` -a '${choices.join(' ')}'` : ''}`
}

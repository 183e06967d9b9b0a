import { describe, expect, test } from 'vitest'
import { openS3 } from '../../src/storage/s3.ts'
import { parseS3Url } from '../../src/storage/s3-url.ts'

const CREDENTIALS = { accessKeyId: 'key', secretAccessKey: 'secret' }

describe('STORAGE_URL', () => {
  test('without an endpoint the bucket is part of the host, with one of the path', () => {
    expect(parseS3Url('s3://voices?region=eu-central-1')).toEqual({
      url: 'https://voices.s3.eu-central-1.amazonaws.com',
      publicUrl: 'https://voices.s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
    })
    expect(parseS3Url('s3://voices?endpoint=http://minio:9000/&public_endpoint=https://s3.example').url).toBe(
      'http://minio:9000/voices',
    )
  })

  test('signed URLs start with the public endpoint', async () => {
    const place = parseS3Url('s3://voices?endpoint=http://minio:9000&public_endpoint=https://s3.example')
    const url = await openS3(place, CREDENTIALS).signUrl('job_1/a.wav', { contentType: 'audio/wav', now: new Date() })
    expect(url.startsWith('https://s3.example/voices/job_1/a.wav?')).toBe(true)
  })

  test.each([
    'https://voices',
    's3://',
    's3://voices/folder',
    's3://voices?endpoint=minio:9000',
    's3://voices?region=EU!',
    's3://voices?bucket=x',
  ])('%s is refused', (text) => {
    expect(() => parseS3Url(text)).toThrow(/^(must|takes)/)
  })

  test.each([
    ['credentials', 'http://key:hunter2@minio:9000'],
    ['a name', 'http://hunter2@minio:9000'],
    ['a password alone', 'http://:hunter2@minio:9000'],
    ['a query', 'http://minio:9000?token=hunter2'],
    ['an empty query', 'http://minio:9000/?'],
    ['a fragment', 'http://minio:9000/%23hunter2'],
  ])('an endpoint with %s is refused in words that do not repeat it, and so is a public one', (_what, address) => {
    for (const name of ['endpoint', 'public_endpoint'])
      expect(() => parseS3Url(`s3://voices?region=eu-central-1&${name}=${address}`)).toThrow(
        new Error(`must give ${name} without credentials, a query or a fragment`),
      )
  })

  test('a fragment is refused, which would hide the parameters behind it', () => {
    expect(() => parseS3Url('s3://voices?endpoint=http://minio:9000/#top&region=eu-central-1')).toThrow(
      new Error('must not hold a fragment'),
    )
  })
})

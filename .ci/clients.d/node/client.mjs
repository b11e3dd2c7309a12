// @kubernetes/client-node: an informer, a watch, create, patch, exec and port-forward.
import assert from 'node:assert';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const namespace = 'default';
const until = (what, check) => new Promise((resolve, reject) => {
  const limit = setTimeout(() => reject(new Error(`${what} does not come`)), 20000);
  const poll = setInterval(() => {
    if (!check()) return;
    clearTimeout(limit);
    clearInterval(poll);
    resolve();
  }, 20);
});

const seen = [];
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const informer = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
for (const event of ['add', 'update', 'delete']) {
  informer.on(event, (object) => seen.push(`${event} ${object.metadata.name}`));
}
await informer.start();
const watched = [];
const watch = await new k8s.Watch(config).watch(path, {}, (type, object) => watched.push(`${type} ${object.metadata.name}`), () => {});

await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'by-node' }, data: { a: 'b' } } });
const patch = [{ op: 'replace', path: '/data/a', value: 'c' }];
const patched = await core.patchNamespacedConfigMap({ name: 'by-node', namespace, body: patch });
assert.equal(patched.data.a, 'c');
await core.deleteNamespacedConfigMap({ name: 'by-node', namespace });
await until('the informer', () => seen.includes('delete by-node'));
assert.deepEqual(seen.filter((line) => line.endsWith('by-node')), ['add', 'update', 'delete'].map((event) => `${event} by-node`));
await until('the watch', () => watched.includes('DELETED by-node'));
await informer.stop();
watch.abort();
await assert.rejects(core.readNamespacedConfigMap({ name: 'by-node', namespace }), (error) => error.code === 404);

const out = new PassThrough();
let said = '';
out.on('data', (piece) => { said += piece; });
const status = await new Promise((resolve, reject) => {
  new k8s.Exec(config).exec(namespace, 'inside', '', ['sh', '-c', 'echo $HOSTNAME; exit 4'], out, process.stderr, null, false, resolve).catch(reject);
});
assert.equal(said, 'inside\n');
assert.equal(status.details.causes[0].message, '4');

const forward = new k8s.PortForward(config);
const server = net.createServer((socket) => forward.portForward(namespace, 'inside', [80], socket, null, socket));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const page = await (await fetch(`http://127.0.0.1:${server.address().port}/page`)).text();
assert.equal(page, 'from the port\n');
console.log('client-node: informer, watch, patch, exec and port-forward agree');
process.exit(0);

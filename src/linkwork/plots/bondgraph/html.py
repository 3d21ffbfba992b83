"""A scene as one HTML page that needs nothing else: drag and zoom, hover a bond for what it carries, slide in time."""

from __future__ import annotations

import json
from html import escape

import numpy as np

from linkwork.core.plain_data import Record
from linkwork.plots.bondgraph.scene import Scene
from linkwork.plots.bondgraph.series import Series, units
from linkwork.plots.bondgraph.svg import identifier, svg, titles

_STYLE = """
.lw-bonds{position:relative;font-family:"STIX Two Text","Times New Roman",Times,serif;color:#111;background:#fff}
.lw-bonds svg{display:block;width:100%;height:100%;cursor:grab;touch-action:none}
.lw-bonds .bond:hover polyline{filter:drop-shadow(0 0 2px #0072b2)}
.lw-bonds .tip{position:absolute;display:none;pointer-events:none;background:#fffffff2;border:1px solid #bbb;
border-radius:4px;padding:4px 8px;font-size:13px;white-space:pre;z-index:1}
.lw-bonds .bar{position:absolute;left:12px;right:12px;bottom:6px;display:flex;gap:10px;align-items:center;
font-size:13px}
.lw-bonds .bar input{flex:1}.lw-bonds .bar output{min-width:7em}
.lw-bonds .along{color:#0072b2}.lw-bonds .against{color:#d55e00}
"""

# The page's own state: v is the part of the drawing seen, k the sample shown.
_SCRIPT = """
(root=>{
const data=JSON.parse(root.querySelector('script[type="application/json"]').textContent);
const svg=root.querySelector('svg'),tip=root.querySelector('.tip'),bar=root.querySelector('.bar');
const whole=svg.getAttribute('viewBox').split(' ').map(Number);let v=whole.slice(),k=0,drag=null;
const seen=()=>svg.setAttribute('viewBox',v.join(' '));
const at=e=>{const p=new DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse());return[p.x,p.y]};
svg.addEventListener('wheel',e=>{e.preventDefault();const f=Math.exp(e.deltaY*0.0015),[x,y]=at(e);
v=[x+(v[0]-x)*f,y+(v[1]-y)*f,v[2]*f,v[3]*f];seen()},{passive:false});
svg.addEventListener('pointerdown',e=>{drag=at(e);svg.setPointerCapture(e.pointerId)});
svg.addEventListener('pointermove',e=>{if(!drag)return;const[x,y]=at(e);v[0]+=drag[0]-x;v[1]+=drag[1]-y;seen()});
for(const end of['pointerup','pointercancel'])svg.addEventListener(end,()=>{drag=null});
svg.addEventListener('dblclick',()=>{v=whole.slice();seen()});
const number=x=>x.toPrecision(4),vector=(x,u)=>(x.length>1?'('+x.map(number).join(', ')+')':number(x[0]))+(u?' '+u:'');
const told=id=>{const b=data.bonds[id];let s=b.title;
if(b.effort)s+='\\neffort  '+vector(b.effort[k],b.units[0]);
if(b.flow)s+='\\nflow  '+vector(b.flow[k],b.units[1]);
if(b.power)s+='\\npower  '+number(b.power[k])+' W';return s};
for(const id of Object.keys(data.bonds)){const g=root.querySelector('[id="'+id+'"]');
const title=g.querySelector('title');if(title)title.remove();
const wide=document.createElementNS(svg.namespaceURI,'polyline');
wide.setAttribute('points',g.querySelector('.bond').getAttribute('points'));
for(const[a,x]of[['fill','none'],['stroke','transparent'],['stroke-width','14']])wide.setAttribute(a,x);
wide.setAttribute('pointer-events','stroke');g.appendChild(wide);
g.addEventListener('pointermove',e=>{const r=root.getBoundingClientRect();tip.textContent=told(id);
tip.style.display='block';tip.style.left=Math.min(e.clientX-r.left+14,r.width-tip.offsetWidth-4)+'px';
tip.style.top=Math.min(e.clientY-r.top+14,r.height-tip.offsetHeight-4)+'px'});
g.addEventListener('pointerleave',()=>{tip.style.display='none'})}
const shown=()=>{for(const[id,b]of Object.entries(data.bonds)){if(!b.power)continue;
const p=b.power[k],w=data.most>0?Math.abs(p)/data.most:0;
for(const line of root.querySelectorAll('[id="'+id+'"] .bond')){
line.setAttribute('stroke-width',1.2+3.6*Math.sqrt(w));
line.setAttribute('stroke',w<1e-6?'#999999':p>0?'#0072b2':'#d55e00')}}
bar.querySelector('output').textContent='t = '+number(data.t[k])+' s'};
if(bar){const slide=bar.querySelector('input'),play=bar.querySelector('button');let timer=null;
slide.addEventListener('input',()=>{k=+slide.value;shown()});
play.addEventListener('click',()=>{if(timer){clearInterval(timer);timer=null;play.textContent='Play';return}
play.textContent='Stop';timer=setInterval(()=>{k=(k+1)%data.t.length;slide.value=k;shown()},40)});shown()}
})(document.currentScript.parentElement);
"""


def html(scene: Scene, series: Series | None = None) -> str:
    """A whole page."""
    title = escape(scene.graph.name)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>html,body{{margin:0;height:100%}}</style></head><body>{fragment(scene, series, height='100vh')}"
        "</body></html>\n"
    )


def fragment(scene: Scene, series: Series | None = None, *, height: str) -> str:
    """The part of a page that draws, for notebooks too. height: as CSS says it."""
    bar = ""
    if series is not None:
        last = series.t.size - 1
        bar = (
            '<div class="bar"><button type="button">Play</button>'
            f'<input type="range" min="0" max="{last}" value="0" aria-label="time"><output></output>'
            '<span>power <b class="along">along</b> / <b class="against">against</b> the arrow</span></div>'
        )
    # "</" would end the script early, whatever text it is part of
    data = json.dumps(_data(scene, series), separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return (
        f'<div class="lw-bonds" style="height:{height}"><style>{_STYLE}</style>{svg(scene, fixed=False)}'
        f'<div class="tip"></div>{bar}<script type="application/json">{data}</script>'
        f"<script>{_SCRIPT}</script></div>"
    )


def _data(scene: Scene, series: Series | None) -> Record:
    said = titles(scene)
    bonds: Record = {}
    for bond in scene.graph.bonds:
        entry: Record = {"title": said[f"bond:{bond.name}"], "units": units(bond)}
        for key, array in (series.bonds.get(bond.name, {}) if series is not None else {}).items():
            entry[key] = _plain(array)
        bonds[identifier(f"bond:{bond.name}")] = entry
    powers = [np.abs(s["power"]).max() for s in series.bonds.values()] if series is not None else []
    finite = [float(p) for p in powers if np.isfinite(p)]
    return {"t": _plain(series.t) if series is not None else [], "most": max(finite, default=0.0), "bonds": bonds}


def _plain(array: np.ndarray) -> list[object]:
    """Lists of numbers with six digits; JSON knows no infinities, so what is not finite becomes 0."""
    if array.ndim > 1:
        return [_plain(row) for row in array]
    return [float(f"{x:.6g}") if np.isfinite(x) else 0.0 for x in array]
